-- When an operator took a failed message off the list; NULL again once it is sent again.
ALTER TABLE messages ADD COLUMN discarded BIGINT;
