-- A grant that the service refused is told from one that a person dismissed: until now all refused grants were dismissed.
UPDATE ledger SET state = 'dismissed' WHERE kind = 'grant' AND state = 'refused';
