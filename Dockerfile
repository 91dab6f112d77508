# One image for both apps. The API (with its scheduler) is the default command; a worker is
#   docker run … punctual node --enable-source-maps --max-semi-space-size=64 --initial-old-space-size=256 dist/apps/worker/src/main.js
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
# No package here needs its install script; the embedded PostgreSQL's is for `npm start` only.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --ignore-scripts
COPY . .
RUN npm run build
# The optional packages are the embedded PostgreSQL and native speed-ups: a deployment brings its own database.
RUN npm prune --omit=dev --omit=optional --ignore-scripts

FROM node:${NODE_VERSION}-bookworm-slim
# A name server that does not answer holds a thread for half a minute: four, as Node.js has, are soon gone.
ENV UV_THREADPOOL_SIZE=64
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 WORKER_HOST=0.0.0.0 WORKER_PORT=3001
# Migrations are read from prisma/ and package.json "imports" points into dist/, both from the working directory.
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/prisma ./prisma
COPY --from=build /app/dist/libs ./dist/libs
COPY --from=build /app/dist/apps ./dist/apps
# By number, so that a cluster can see that it is not root. Nothing in the image is this user's to write.
USER 1000:1000
EXPOSE 3000 3001
# Alive, not ready: a database that is away is waited for, and a restart would not bring it back.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "Promise.any([process.env.PORT, process.env.WORKER_PORT].map((port) => fetch('http://127.0.0.1:' + port + '/healthz'))).then((r) => process.exit(+!r.ok))"]
CMD ["node", "--enable-source-maps", "dist/apps/api/src/main.js"]
