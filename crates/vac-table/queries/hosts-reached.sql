-- Which hosts were reached, by which tools? Hosts in commands are found by their addresses.
WITH reached AS (
    SELECT record_key, tool, host, outcome, called_at
    FROM tool_calls
    WHERE is_counted AND host IS NOT NULL
    UNION ALL
    SELECT
        record_key,
        tool,
        unnest(regexp_extract_all(lower(command), 'https?://(?:[^/@\s]*@)?([a-z0-9.-]+)', 1)),
        outcome,
        called_at
    FROM tool_calls
    WHERE is_counted AND command LIKE '%://%'
)
SELECT
    host,
    tool,
    count(*) AS calls,
    count(*) FILTER (WHERE outcome = 'error') AS failed,
    count(DISTINCT record_key) AS sessions,
    min(called_at) AS first_at,
    max(called_at) AS last_at
FROM reached
GROUP BY ALL
ORDER BY calls DESC, host, tool;
