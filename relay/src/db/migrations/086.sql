-- What is needed to send an alert after a restart.
ALTER TABLE alerts ADD COLUMN cure TEXT NOT NULL DEFAULT '';   -- what the operator can do
ALTER TABLE alerts ADD COLUMN untold TEXT NOT NULL DEFAULT ''; -- channels that lack the newest news: mail, webhook, separated by spaces
