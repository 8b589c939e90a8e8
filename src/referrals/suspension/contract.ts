import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, DueDay, Id, Timestamp } from "#kit/contract/fields.ts";
import { fieldPlaceholder } from "#kit/contract/validation-messages.ts";

export const Settings = z.object({
  suspendsOverdueAttorneys: z.boolean(),
  overduePeriodsSuspensionThreshold: z.number(),
  overduePeriodInDays: z.number(),
});
export type Settings = z.output<typeof Settings>;

const wholePeriods = "a whole number of overdue periods from 0 to 120";
const graceBounds = `must be ${wholePeriods}`;

/**
 * The grace period: how many whole overdue periods are tolerated; NaN is what a form says of text
 * that is no number. Source: domain rules §6.
 */
export const GracePeriod = z
  .number({
    error: ({ input }) =>
      Number.isNaN(input) ? `Enter ${fieldPlaceholder}: ${wholePeriods}.` : graceBounds,
  })
  .int(graceBounds)
  .min(0, graceBounds)
  .max(120, graceBounds);

export const showSettings = endpoint({
  method: "GET",
  path: "/legal_networks/settings",
  summary: "The network's rules for overdue status reports",
  object: Settings,
});

const SettingsChange = z
  .strictObject({
    suspends_overdue_attorneys: z.boolean().optional(),
    overdue_periods_suspension_threshold: GracePeriod.optional(),
  })
  .refine(
    (change) => Object.values(change).filter((value) => value !== undefined).length === 1,
    "must change exactly one of suspends_overdue_attorneys and overdue_periods_suspension_threshold",
  );
export type SettingsChange = z.output<typeof SettingsChange>;

export const changeSettings = endpoint({
  method: "PATCH",
  path: "/legal_networks/update_v2",
  summary: "Switch overdue suspensions on or off, or change the grace period: one of the two",
  body: SettingsChange,
  object: Settings,
});

/** Who would be suspended, and whose suspension would be lifted, under other rules. */
export const previewSuspensions = endpoint({
  method: "GET",
  path: "/legal_networks/suspension_preview",
  summary: "What switching on, or another grace period, would do now",
  query: z.object({
    enabled: z.enum(["true", "false"]).default("true"),
    /** The present one unless given. */
    threshold: z
      .codec(z.string().regex(/^\d{1,3}$/, graceBounds), GracePeriod, {
        decode: Number,
        encode: String,
      })
      .optional(),
  }),
  object: z.object({
    suspended: z.number(),
    lifted: z.number(),
    /** The first hundred of those who would be suspended, by name. */
    attorneys: z.array(z.object({ id: Id, name: z.string() })),
  }),
});

/** An attorney's overdue reports, and the suspension that follows. Days are the network's own. */
export const Standing = z.object({
  suspended: z.boolean(),
  suspendedAt: Timestamp.nullable(),
  reason: z.string().nullable(),
  /** Reports that fell due before today. */
  overdue: z.number().int(),
  /** Reports that must be filed before the suspension ends; 0 for who is not suspended. */
  mustFile: z.number().int(),
  /**
   * When the attorney will be suspended unless reports are filed. Null while nothing can come of it:
   * overdue suspensions are off, no referral is open, or the attorney is suspended already.
   */
  suspendsOn: DueDay.nullable(),
  /** Days until then: 1 is tomorrow. Null where `suspendsOn` is. */
  daysLeft: z.number().int().nullable(),
  pausedUntil: Day.nullable(),
  paused: z.boolean(),
  /** Whether the network lets its lawyers set their own vacation. */
  maySetVacation: z.boolean(),
});
export type Standing = z.output<typeof Standing>;

export const showStanding = endpoint({
  method: "GET",
  path: "/matters/mine/standing",
  summary: "Whether the signed-in attorney is suspended, or will be, for overdue reports",
  object: Standing,
});
