-- Which prompts led to most failed calls? A call belongs to the last prompt of the user before it.
WITH prompts AS (
    SELECT record_key, ordinal, timestamp, text
    FROM entries
    WHERE is_counted
        AND type = 'user'
        AND author IN ('user', 'unstated')
        AND text IS NOT NULL
        AND subagent IS NULL
),
calls AS (
    SELECT record_key, coalesce(call_ordinal, result_ordinal) AS ordinal, outcome
    FROM tool_calls
    WHERE is_counted
)
SELECT
    s.agent,
    s.session_id,
    p.timestamp,
    left(p.text, 200) AS prompt,
    count(*) AS calls,
    count(*) FILTER (WHERE c.outcome = 'error') AS failed
FROM calls c
ASOF JOIN prompts p ON c.record_key = p.record_key AND c.ordinal >= p.ordinal
JOIN sessions s ON s.record_key = p.record_key
GROUP BY s.agent, s.session_id, p.ordinal, p.timestamp, p.text
HAVING failed > 0
ORDER BY failed DESC, calls DESC, s.session_id;
