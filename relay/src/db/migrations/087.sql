-- Time of the visitor's newest message, at most 10 s too early; without messages, of the first visit. Admin lists
-- conversations in this order.
ALTER TABLE visitors ADD COLUMN active BIGINT NOT NULL DEFAULT 0;
UPDATE visitors SET active = COALESCE((SELECT m.at FROM messages m WHERE m.visitor = visitors.id
  AND m.pos = (SELECT max(pos) FROM messages WHERE visitor = visitors.id)), created);
CREATE INDEX visitors_active ON visitors (active, id);
CREATE INDEX visitors_site_active ON visitors (site, active, id);
