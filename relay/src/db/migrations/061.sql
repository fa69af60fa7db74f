-- For several nodes on PostgreSQL. A statement that begins with /* postgres */ is not for SQLite, which has one process.

-- Which node may do which work: the lease `account:<id>` belongs to the node that calls the service for that account.
/* postgres */ CREATE TABLE leases (
  name  TEXT PRIMARY KEY,
  node  TEXT NOT NULL,
  epoch BIGINT NOT NULL, -- rises whenever another node takes the lease
  until BIGINT NOT NULL  -- ms, by the clock of the database
);

-- Secrets that all nodes share. A node's own secrets.json is the proposal; the first node's is kept.
/* postgres */ CREATE TABLE secrets (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- How the holder of a lease finds outbox entries whose hint was lost.
/* postgres */ CREATE INDEX outbox_due ON outbox (due);
