-- One word for one thing, the field's: what is encrypted is called so, and a checksum is one.
alter table card_processors rename column sealed_secrets to encrypted_secrets;
alter table card_sessions rename column sealed_secret to encrypted_secret;
alter table webhook_endpoints rename column sealed_secret to encrypted_secret;
alter table webhook_endpoints rename column sealed_old_secret to encrypted_old_secret;
alter table installation rename column sealed_probe to secret_check_value;
alter table billing_progress rename column billed_seal to billed_checksum;
alter function billing_seal() rename to billing_checksum;
