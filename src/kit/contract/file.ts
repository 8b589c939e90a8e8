/** The maximum size of an uploaded file: enough for 100,000 attorneys with every column filled. */
export const maxFileBytes = 20 * 1024 * 1024;

/** The maximum rows of an uploaded file: more than fit into `maxFileBytes` unless most cells are empty. */
export const maxFileRows = 200_000;
