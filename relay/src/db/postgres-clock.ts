/** The time in SQL of PostgreSQL, in milliseconds since 1970. All nodes use this clock, because their own clocks may differ. */
export const POSTGRES_NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
