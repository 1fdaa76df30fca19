// Starts the image for one test file, on a free port: `await using gateway = await startGateway()`
import { GenericContainer, Wait } from 'testcontainers'

export async function startGateway(key = 'sk-test', controlToken = 'a-token-for-these-tests') {
  const container = await new GenericContainer('greenroom')
    .withCommand(['--keys', key, '--clock', 'auto', '--quality', 'fast'])
    .withEnvironment({ GREENROOM_CONTROL_TOKEN: controlToken })
    .withExposedPorts(4646)
    .withWaitStrategy(Wait.forHealthCheck())
    .start()
  return {
    url: `http://${container.getHost()}:${container.getMappedPort(4646)}`,
    key,
    controlToken,
    [Symbol.asyncDispose]: async () => void (await container.stop()),
  }
}
