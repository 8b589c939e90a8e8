import { useQuery } from "@tanstack/react-query";
import { type ApiToken, listApiTokens } from "#access/tokens/contract.ts";
import { listWebhookEndpoints } from "#outgoing/webhooks/contract.ts";
import { dayOf } from "#kit/domain/day.ts";
import { call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useSession } from "#kit/web/session.tsx";
import { setSigningOut } from "#kit/web/sign-in-redirect.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { WhenLoaded } from "#kit/web/ui/states.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import css from "./administrators.module.css";
import { type Administrator, removeAdministrator } from "./contract.ts";

interface RemoveAdministratorDialogProps {
  administrator: Administrator;
  onClose: () => void;
  /** Called with a notice. */
  onDone: (said: string) => void;
}

/** Remove an administrator and revoke the API tokens that they made. */
export function RemoveAdministratorDialog(props: RemoveAdministratorDialogProps) {
  const { administrator, onClose } = props;
  const tokens = useQuery(endpointQuery(listApiTokens, { query: { page: 1, per_page: 200 } }));
  const isOwn = useSession().id === administrator.id;
  return (
    <Dialog title={isOwn ? "Remove yourself" : `Remove ${administrator.name}`} onClose={onClose}>
      <WhenLoaded query={tokens} title="The API tokens could not be loaded">
        {({ items }) => (
          <RemovalForm
            {...props}
            isOwn={isOwn}
            tokens={items.filter(
              ({ status, createdById }) => status === "active" && createdById === administrator.id,
            )}
          />
        )}
      </WhenLoaded>
    </Dialog>
  );
}

interface RemovalFormProps extends RemoveAdministratorDialogProps {
  isOwn: boolean;
  /** Active tokens made by the administrator. */
  tokens: ApiToken[];
}

function RemovalForm({ administrator: { id, name }, isOwn, tokens, onDone }: RemovalFormProps) {
  const webhooks = useQuery(endpointQuery(listWebhookEndpoints));
  const form = useForm<{ keep_token_ids: number[] }, { removed: true }>({
    start: { keep_token_ids: [] },
    send: async (body) => {
      const removed = await call(removeAdministrator, { params: { id }, body });
      if (isOwn) {
        setSigningOut(true); // calls of the page will be refused until it has gone
        window.location.assign("/sign-in");
      }
      return removed;
    },
    onDone: () => onDone(`${name} was removed.`),
  });
  const kept = form.typed.keep_token_ids;
  return (
    <Form form={form} label="Removal">
      <p>
        {isOwn
          ? "You will be signed out immediately. You need an invitation to come back."
          : "They will be signed out immediately. Their changes stay in the activity."}
      </p>
      {tokens.length > 0 && (
        <fieldset className={css["tokens"]}>
          <legend>Revoke the API tokens that {isOwn ? "you" : name} made</legend>
          <Muted>
            A copied token works until it is revoked. The program that uses it will then be refused.
          </Muted>
          {tokens.map((token) => (
            <TokenBox
              key={token.id}
              token={token}
              isRevoked={!kept.includes(token.id)}
              onChange={(isRevoked) =>
                form.set({
                  keep_token_ids: isRevoked
                    ? kept.filter((one) => one !== token.id)
                    : [...kept, token.id],
                })
              }
            />
          ))}
        </fieldset>
      )}
      {(webhooks.data?.length ?? 0) > 0 && (
        <Muted>
          {isOwn ? "You" : "They"} may also know the webhook secrets. Make new ones under
          Integrations.
        </Muted>
      )}
      <DialogActions>
        <SubmitButton kind="danger" pending={form.pending}>
          {isOwn ? "Remove yourself" : "Remove administrator"}
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}

interface TokenBoxProps {
  token: ApiToken;
  isRevoked: boolean;
  onChange: (isRevoked: boolean) => void;
}

function TokenBox({ token, isRevoked, onChange }: TokenBoxProps) {
  const { timeZone } = useSession();
  const { name, scope, lastFour, lastUsedAt, expiresAt } = token;
  const used = lastUsedAt === null ? "never used" : `last used ${dayOf(lastUsedAt, timeZone)}`;
  // It works through its last day.
  const lastInstant = expiresAt && new Date(Date.parse(expiresAt) - 1).toISOString();
  const until = lastInstant ? `works through ${dayOf(lastInstant, timeZone)}` : "no last day";
  return (
    <CheckboxField
      label={name}
      hint={`${scope === "write" ? "Read and write" : "Read"}, ends in ${lastFour}, ${used}, ${until}`}
      value={isRevoked}
      error={undefined}
      onChange={onChange}
    />
  );
}
