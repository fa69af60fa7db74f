-- SQLite kept fractions of a millisecond in some of these times, which PostgreSQL refuses: `porchlight move` could not copy them.
UPDATE events SET due = CAST(due AS BIGINT) WHERE due <> CAST(due AS BIGINT);
UPDATE outbox SET due = CAST(due AS BIGINT) WHERE due <> CAST(due AS BIGINT);
UPDATE leads SET due = CAST(due AS BIGINT) WHERE due <> CAST(due AS BIGINT);
UPDATE ledger SET due = CAST(due AS BIGINT) WHERE due <> CAST(due AS BIGINT);
