-- Which tools fail most often?
SELECT
    s.agent,
    c.tool,
    c.category,
    c.mcp_server,
    count(*) AS calls,
    count(*) FILTER (WHERE c.outcome = 'error') AS errors,
    count(*) FILTER (WHERE c.outcome = 'cancelled') AS cancelled,
    round(errors / calls, 3) AS error_rate
FROM tool_calls c
JOIN sessions s USING (record_key)
WHERE c.is_counted
GROUP BY ALL
ORDER BY error_rate DESC, calls DESC, s.agent, c.tool;
