-- An attorney's page and dashboard name the credit that payments brought; few have any.
create index payments_with_credit on payments (network_id, attorney_id, id) where credit_cents > 0;

-- Referrals of a week are counted as they were made, whoever has them now.
create index matter_referrals_by_time on matter_referrals (network_id, referred_at);
drop index matters_by_referral; -- matters_last_referred has the same columns
