/** The largest upload: enough for 100,000 attorneys with every column filled. */
export const maxFileBytes = 20 * 1024 * 1024;

/** The most rows in an upload: more than fit into `maxFileBytes` unless most cells are empty. */
export const maxFileRows = 200_000;
