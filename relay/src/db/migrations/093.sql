-- For several nodes: the pace of an account's calls, so that the next holder of its lease continues with it.
/* postgres */ ALTER TABLE leases ADD COLUMN pace TEXT;       -- JSON (service/saved-pace.ts)
/* postgres */ ALTER TABLE leases ADD COLUMN pace_node TEXT;  -- the node that saved it
/* postgres */ ALTER TABLE leases ADD COLUMN pace_at BIGINT;  -- ms, by the clock of the database
