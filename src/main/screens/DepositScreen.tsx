import { History } from "#office/activity/History.tsx";
import { DepositSlip } from "#payments/deposits/DepositSlip.tsx";

const history = (id: number) => <History of={{ record_type: "deposit", record_id: id }} />;

export function DepositScreen() {
  return <DepositSlip history={history} />;
}
