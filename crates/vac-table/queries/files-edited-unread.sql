-- Which files were edited in a session that had not read or written them before?
SELECT
    s.agent,
    s.session_id,
    f.path,
    min(f.call_index) AS first_edit,
    count(*) AS edits
FROM files f
JOIN sessions s USING (record_key)
WHERE f.is_counted
    AND f.operation = 'edit'
    AND coalesce(f.outcome, 'unknown') NOT IN ('error', 'cancelled')
    AND NOT EXISTS (
        SELECT 1
        FROM files b
        WHERE b.record_key = f.record_key
            AND b.is_counted
            AND b.path = f.path
            AND b.operation IN ('read', 'write')
            AND b.call_index < f.call_index
    )
GROUP BY ALL
ORDER BY s.agent, s.session_id, f.path;
