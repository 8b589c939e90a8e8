-- Why nobody can say what became of a charge whose browser never came back, where it is not held for
-- review: no payment stands for it, and its attorney can begin no other until somebody has seen to it.
alter table card_sessions add column problem text;
