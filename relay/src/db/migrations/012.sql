-- For the owner's lists: a site's visitors by age, and its failed messages.
CREATE INDEX visitors_site ON visitors (site, created, id);
CREATE INDEX messages_failed ON messages (visitor, pos) WHERE state = 'failed';
