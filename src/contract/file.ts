/** The most bytes of a file that a call takes: 100,000 attorneys with all that is known of them. */
export const maxFileBytes = 20 * 1024 * 1024;

/** The most rows of such a file: more than so many bytes have room for, unless most of their cells are empty. */
export const maxFileRows = 200_000;
