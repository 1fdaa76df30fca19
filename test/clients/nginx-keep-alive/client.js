// The steps of curl, through an nginx that reuses its connections to the gateway.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, chmodSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gatewayUrl } from '../run-steps.js'

const reserved = createServer().listen(0, '127.0.0.1')
await once(reserved, 'listening')
const { port } = reserved.address()
await new Promise((resolve) => reserved.close(resolve))

const folder = mkdtempSync(join(tmpdir(), 'greenroom-nginx-'))
// Workers of an nginx that root starts run as another user.
chmodSync(folder, 0o755)
const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
writeFileSync(
  join(folder, 'nginx.conf'),
  `daemon off; pid nginx.pid; worker_processes 1; error_log stderr error;
  events {}
  http {
    access_log off; ${paths.join(' ')}
    upstream gateway { server ${new URL(gatewayUrl).host}; keepalive 8; }
    server {
      listen 127.0.0.1:${port};
      location / {
        proxy_pass http://gateway; proxy_http_version 1.1; proxy_buffering off;
        proxy_set_header Connection ""; proxy_set_header Host $http_host;
      }
    }
  }`,
)
const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
  stdio: 'inherit',
})
const url = `http://127.0.0.1:${port}`
for (let attempt = 0; attempt < 50; attempt++) {
  const isUp = await fetch(`${url}/_greenroom/health`).then(
    ({ ok }) => ok,
    () => false,
  )
  if (isUp) break
  await new Promise((resolve) => setTimeout(resolve, 100))
}
const steps = spawn('bash', [fileURLToPath(new URL('../curl/client.sh', import.meta.url))], {
  env: { ...process.env, GREENROOM_URL: url },
  stdio: 'inherit',
})
const [code] = await once(steps, 'exit')
nginx.kill()
await once(nginx, 'exit')
rmSync(folder, { recursive: true })
process.exitCode = code
