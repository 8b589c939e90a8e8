/** The most bytes of a file that a call takes: 100,000 attorneys with all that is known of them. */
export const greatestFileBytes = 20 * 1024 * 1024;
