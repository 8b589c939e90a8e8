-- The page that a mail is about, such as /receipts/17: its address stands below the text.
alter table mails add column page_path text check (page_path ~ '^/[^/]');
