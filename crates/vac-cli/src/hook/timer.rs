//! A timer for agents that call no other program.

use super::HookCommand;

/// Returns the units of systemd for a user, and a line for cron.
pub fn timer(command: &HookCommand, archive: &str) -> String {
    // A percent sign is a line end for cron.
    let cron = command.shell().replace('%', r"\%");
    let (systemd, archive) = (command.systemd(), archive.replace('%', "%%"));
    format!(
        "\
# ~/.config/systemd/user/vac-archive.service
[Unit]
Description=Add new sessions of agents to {archive}

[Service]
Type=oneshot
ExecStart={systemd}
Nice=10

# ~/.config/systemd/user/vac-archive.timer
[Unit]
Description=Add new sessions of agents to {archive} every hour

[Timer]
OnCalendar=hourly
Persistent=true
RandomizedDelaySec=5min

[Install]
WantedBy=timers.target

# Enable it: systemctl --user daemon-reload && systemctl --user enable --now vac-archive.timer
# Or instead, a line of `crontab -e`:
17 * * * * {cron}
"
    )
}
