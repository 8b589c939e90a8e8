/** A referral service's usual plans, for the demo and seeds. */
export const usualPlans = {
  membership: {
    name: "Panel membership dues",
    description: "A place on the referral panel.",
    amountCents: 75_00,
    everyMonths: 1,
  },
  coverageReview: {
    name: "Malpractice coverage review",
    description: "Quarterly review of the professional liability policy on file.",
    amountCents: 120_00,
    everyMonths: 3,
  },
  registration: {
    name: "Annual registration",
    description: "Registration of the practice for one year.",
    amountCents: 250_00,
    everyMonths: 12,
  },
  familyPanel: {
    name: "Family law panel",
    description: "A place on the panel for family law.",
    amountCents: 40_00,
    everyMonths: 1,
  },
  mediationPanel: {
    name: "Mediation panel",
    description: "A place on the panel of mediators.",
    amountCents: 90_00,
    everyMonths: 6,
  },
  education: {
    name: "Continuing education",
    description: "The service's own courses.",
    amountCents: 60_00,
    everyMonths: 2,
  },
};
