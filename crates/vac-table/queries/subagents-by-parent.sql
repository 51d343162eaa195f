-- Which sessions started subagents, and what did these do? Some agents log a subagent as a session of
-- its own, others in the session that started it. Calls in a session of its own name the subagent, too.
WITH own AS (
    SELECT
        parent_session_id AS parent,
        session_id AS subagent,
        tool_calls,
        tool_errors,
        total_tokens,
        duration_ms
    FROM sessions
    WHERE relation = 'subagent'
),
inside AS (
    SELECT
        s.session_id AS parent,
        c.subagent,
        count(*) AS tool_calls,
        count(*) FILTER (WHERE c.outcome = 'error') AS tool_errors,
        NULL::BIGINT AS total_tokens,
        date_diff('millisecond', min(c.called_at), max(coalesce(c.answered_at, c.called_at))) AS duration_ms
    FROM tool_calls c
    JOIN sessions s USING (record_key)
    WHERE c.is_counted AND c.subagent IS NOT NULL AND s.relation IS DISTINCT FROM 'subagent'
    GROUP BY ALL
)
SELECT
    parent,
    count(*) AS subagents,
    sum(tool_calls) AS tool_calls,
    sum(tool_errors) AS tool_errors,
    sum(total_tokens) AS total_tokens,
    max(duration_ms) AS longest_ms
FROM (SELECT * FROM own UNION ALL SELECT * FROM inside)
GROUP BY parent
ORDER BY subagents DESC, parent;
