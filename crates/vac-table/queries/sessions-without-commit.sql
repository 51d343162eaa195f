-- Which sessions changed files and did not commit them?
SELECT
    s.agent,
    s.session_id,
    s.working_dir,
    s.vcs_branch,
    s.started_at,
    count(DISTINCT f.path) AS changed_files,
    sum(f.lines_added) AS lines_added,
    sum(f.lines_removed) AS lines_removed
FROM sessions s
JOIN files f USING (record_key)
WHERE f.is_counted
    AND f.operation IN ('edit', 'write', 'delete')
    AND coalesce(f.outcome, 'unknown') NOT IN ('error', 'cancelled')
    AND NOT EXISTS (
        SELECT 1
        FROM tool_calls c
        WHERE c.record_key = s.record_key
            AND c.is_counted
            AND coalesce(c.outcome, 'unknown') NOT IN ('error', 'cancelled')
            AND regexp_matches(c.command, '\b(git|jj|hg|svn)\s+([^;&|]*\s)?(commit|ci)\b')
    )
GROUP BY ALL
ORDER BY changed_files DESC, s.started_at, s.session_id;
