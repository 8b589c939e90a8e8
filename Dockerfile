# The server and the commands, without a database: they need DATABASE_URL and APP_SECRET. Contains neither sources
# nor the demo with its sandboxes. docs/operations.md

# Accepts a digest after the tag: node:24.21.0-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --ignore-scripts
COPY vite.config.ts vite.server.config.ts tsconfig.json ./
COPY src src
RUN NODE_ENV=production node node_modules/vite/bin/vite.js build --configLoader native \
  && NODE_ENV=production node node_modules/vite/bin/vite.js build --configLoader native --config vite.server.config.ts --mode image

# What runs: no packages for building or testing, and no optional ones (the embedded PostgreSQL, the bundler's
# binaries).
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
ENV MALLOC_ARENA_MAX=2
ENV HOST=0.0.0.0
ENV PORT=3000
ENV DATA_DIR=/data
WORKDIR /app
COPY package.json ./
COPY --from=packages /app/node_modules node_modules
COPY migrations migrations
COPY rules rules
COPY deploy/health.mjs deploy/health.mjs
COPY --from=build /app/dist dist
RUN install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "deploy/health.mjs"]
CMD ["node", "--max-old-space-size=512", "--min-semi-space-size=2", "--max-semi-space-size=8", "dist/server/start.js"]
