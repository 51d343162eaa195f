-- Which calls took longest?
SELECT
    s.agent,
    s.session_id,
    c.call_index,
    c.tool,
    coalesce(c.command, c.host, c.paths[1]) AS what,
    c.duration_ms,
    c.outcome,
    c.called_at
FROM tool_calls c
JOIN sessions s USING (record_key)
WHERE c.is_counted AND c.duration_ms IS NOT NULL
ORDER BY c.duration_ms DESC, s.session_id, c.call_index
LIMIT 100;
