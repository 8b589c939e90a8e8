import { PaymentsTable } from "#cards/PaymentsTable.tsx";
import { History } from "#office/activity/History.tsx";
import { OutstandingDebits } from "#payments/OutstandingDebits.tsx";
import type { AttorneySections } from "#people/attorney-sections.tsx";
import { AttorneyPage } from "#people/AttorneyPage.tsx";

const sections: AttorneySections = {
  debits: ({ outstandingPayments }) => <OutstandingDebits debits={outstandingPayments} />,
  payments: (attorney) => <PaymentsTable attorney={attorney} />,
  history: ({ id }) => <History of={{ attorney_id: id }} />,
};

export function AttorneyScreen() {
  return <AttorneyPage sections={sections} />;
}
