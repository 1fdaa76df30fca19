# The simulator as a container; see examples/docker. `docker build -t greenroom .`
ARG BASE=node:22-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY . .
# What npm would publish, with the packages of the lock file. Of the encoder only its CommonJS build is in use.
RUN --mount=type=cache,target=/root/.npm node scripts/build.js \
  && npm pack --silent --ignore-scripts --pack-destination /tmp \
  && mkdir /app \
  && tar -xzf /tmp/greenroom-*.tgz -C /app --strip-components=1 \
  && cp package-lock.json .npmrc /app \
  && cd /app \
  && npm ci --omit=dev --ignore-scripts \
  && rm -r package-lock.json .npmrc node_modules/@ffmpeg/core/dist/esm

FROM ${BASE}
ENV NODE_ENV=production
COPY --from=build /app /app
RUN ln -s /app/dist/cli/main.js /usr/local/bin/greenroom \
  && mkdir -p /work /data \
  && chown 1000:1000 /data
# A config file, scenarios and images are read from here.
WORKDIR /work
USER 1000:1000
VOLUME /data
EXPOSE 4646
# This call needs no token.
HEALTHCHECK --interval=5s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4646/_greenroom/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Flags of `greenroom serve` go after the name of the image: `docker run -p 4646:4646 greenroom --keys sk-mine`.
ENTRYPOINT ["greenroom", "serve", "--host", "0.0.0.0", "--state", "/data/state", "--cache-dir", "/data/cache"]
