-- Which commands failed, in whose home, and how often?
SELECT
    home,
    agent,
    tool_calls.command,
    tool_calls.exit_code,
    count(*) AS times
FROM 'tables/tool_calls/*.parquet' AS tool_calls
JOIN 'tables/sessions/*.parquet' AS sessions USING (record_key)
LEFT JOIN 'tables/homes/*.parquet' AS homes USING (agent, session_id)
WHERE tool_calls.is_counted AND tool_calls.outcome = 'error' AND tool_calls.command IS NOT NULL
GROUP BY ALL
ORDER BY times DESC, home, agent, command;
