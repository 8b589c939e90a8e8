-- An attorney's page and dashboard name the credit that payments brought; few have any.
create index payments_with_credit on payments (network_id, attorney_id, id) where credit_cents > 0;
