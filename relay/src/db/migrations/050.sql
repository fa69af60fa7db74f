-- No query reads by `expires` first.
DROP INDEX outbox_expires;
-- A message that was never changed has `n` = `pos` and is found by its primary key: only changed ones need an index.
DROP INDEX messages_n;
CREATE UNIQUE INDEX messages_changed ON messages (visitor, n) WHERE n <> pos;
