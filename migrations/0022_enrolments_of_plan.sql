-- A plan's page counts and lists those who have left the plan, too: the same index, of all enrolments.
drop index enrolments_active_in_plan;
create index enrolments_of_plan on enrolments (network_id, plan_id, attorney_id);
