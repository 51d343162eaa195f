-- Which tokens were used, and what did they cost, by day and model?
SELECT
    CAST(u.timestamp AT TIME ZONE 'UTC' AS DATE) AS day,
    u.provider,
    u.model,
    count(*) AS requests,
    sum(u.input_tokens) AS input_tokens,
    sum(u.cache_read_tokens) AS cache_read_tokens,
    sum(u.cache_write_tokens) AS cache_write_tokens,
    sum(u.output_tokens) AS output_tokens,
    sum(u.total_tokens) AS total_tokens,
    round(sum(u.cost), 6) AS cost
FROM usage u
WHERE u.is_counted
GROUP BY ALL
ORDER BY day, total_tokens DESC, model;
