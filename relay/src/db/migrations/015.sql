-- Which part of a refused lead the visitor can mend: `phone` or `email`; absent: none that is known.
ALTER TABLE leads ADD COLUMN field TEXT;
-- The lists of a lead that names its own (JSON); absent: those of its site.
ALTER TABLE leads ADD COLUMN lists TEXT;
-- Below which address a request was made: it names the visitor whom the answer is about.
ALTER TABLE requests ADD COLUMN path TEXT;
