-- How the node that sends mails asks the others whether a visitor is connected to them.
ALTER TABLE mail_wishes ADD COLUMN asked BIGINT NOT NULL DEFAULT 0; -- when it asked, ms; 0: no question
ALTER TABLE mail_wishes ADD COLUMN seen  BIGINT NOT NULL DEFAULT 0; -- newest answer: `asked` if connected then, else since when the visitor is away
/* postgres */ CREATE INDEX mail_wishes_asked ON mail_wishes (asked);
