// How long it takes until the first page of a large fleet can be used: its rows are there, and the search takes a letter. A test of figures keeps
// them; nothing is judged here.
import { journey, keep, origin, settled } from '../harness.mjs'

await journey(async (page) => {
  const took = []
  for (let i = 0; i < 7; i++) {
    await page.goto(origin, { waitUntil: 'commit' })
    await page.locator('table.applications tbody tr:not([aria-hidden])').first().waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).press('a')
    await page.waitForFunction(() => document.querySelector('input[type=search]')?.value === 'a')
    took.push(await page.evaluate(() => performance.now()))
    await settled(page)
  }
  keep('interactive.json', JSON.stringify(took))
})
