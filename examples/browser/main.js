import { createClient } from './client.js'
import { baseUrl, startGateway } from './gateway.js'

const status = document.querySelector('#status')
const say = (text) => (status.textContent = text)

// In the console, and to tests: sim.journal(), sim.clock.status(), await sim.verdict()
window.sim = await startGateway()
// On the clock of the simulator the page does not wait. Without `sleep`, it waits in real time, as in production.
const client = createClient({ baseUrl, key: 'sk-page', sleep: window.sim.clock.sleep })
say('Ready')

const show = {
  async video(prompt) {
    const video = document.querySelector('video')
    const { id } = await client.makeVideo({ prompt }, say)
    video.src = URL.createObjectURL(await client.downloadVideo(id))
    await video.play()
  },
  async drawing(prompt) {
    const image = document.querySelector('img')
    image.src = URL.createObjectURL(await client.makeDrawing(prompt, say))
    await image.decode()
  },
  async text(prompt) {
    const words = document.querySelector('#text')
    const onStart = () => words.replaceChildren()
    await client.streamText(prompt, { onStart, onWord: (word) => words.append(word) })
  },
}

document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault()
  const { name } = event.submitter
  try {
    await show[name](event.target.elements.prompt.value)
    say(`Displayed: ${name}`)
  } catch (error) {
    say(`Failed: ${error.message}`)
  }
})
