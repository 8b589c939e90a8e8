import { History } from "#office/activity/History.tsx";
import { CheckPage } from "#payments/checks/CheckPage.tsx";

const history = (id: number) => <History of={{ record_type: "received check", record_id: id }} />;

export function CheckScreen() {
  return <CheckPage history={history} />;
}
