-- For what operators read, so that no list reads a whole table. Failed messages are few, so their indexes cost little.
CREATE INDEX messages_failed_at ON messages (at DESC, visitor, pos) WHERE state = 'failed' AND discarded IS NULL;
CREATE INDEX messages_failed_settled ON messages (settled) WHERE state = 'failed';
CREATE INDEX ledger_state ON ledger (kind, state, account, created, key);
CREATE INDEX mails_newest ON mails (at, id);
DROP INDEX mails_at;
CREATE INDEX blocks_newest ON blocks (site, at, id);
