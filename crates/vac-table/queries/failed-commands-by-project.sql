-- Which commands failed, in which project, how often?
SELECT
    s.working_dir AS project,
    c.command,
    count(*) AS failures,
    count(DISTINCT c.record_key) AS sessions,
    max(c.exit_code) AS highest_exit_code,
    max(c.called_at) AS last_at
FROM tool_calls c
JOIN sessions s USING (record_key)
WHERE c.is_counted
    AND c.command IS NOT NULL
    AND (c.outcome = 'error' OR c.exit_code <> 0)
GROUP BY ALL
ORDER BY failures DESC, project, command;
