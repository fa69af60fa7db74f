-- The relays that share this database. A row that is not renewed is deleted after a minute.
/* postgres */ CREATE TABLE nodes (
  node    TEXT PRIMARY KEY,
  address TEXT NOT NULL,   -- where other nodes reach it, like http://10.0.0.7:8787
  seen    BIGINT NOT NULL  -- ms, by the clock of the database
);
