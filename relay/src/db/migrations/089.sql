-- How a node finds forms of its visitors that another node saw refused, when the hint was lost.
/* postgres */ CREATE INDEX leads_refused ON leads (due) WHERE state = 'refused';
