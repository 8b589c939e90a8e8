-- An attorney who has left the panel, today or earlier: in no list that does not ask for it, gets no referral
-- and is not enrolled. What is owed stays owed (domain rules, second stage).
alter table attorneys
  add column left_on date,
  add column left_reason text not null default '' check (length(left_reason) <= 2000),
  add constraint attorneys_left_reason check (left_on is not null or left_reason = '');
create index attorneys_left on attorneys (network_id, left_on) where left_on is not null;
