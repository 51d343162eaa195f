-- What happened in each home?
SELECT
    home,
    agent,
    count(*) AS sessions,
    sum(prompts) AS prompts,
    sum(tool_calls) AS tool_calls,
    sum(tool_errors) AS tool_errors,
    sum(total_tokens) AS tokens
FROM 'tables/sessions/*.parquet' AS sessions
LEFT JOIN 'tables/homes/*.parquet' AS homes USING (agent, session_id)
GROUP BY ALL
ORDER BY ALL;
