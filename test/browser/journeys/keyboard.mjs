// From the first page to the answer of a slider by the keyboard alone.
import { assert, journey, settled } from '../harness.mjs'

await journey(async (page) => {
  const focus = () =>
    page.evaluate(() => {
      const e = document.activeElement
      const style = e ? getComputedStyle(e) : undefined
      return { text: e?.getAttribute('aria-label') ?? e?.textContent?.trim() ?? '', outline: style?.outlineStyle ?? 'none', tag: e?.tagName ?? '' }
    })
  const tabTo = async (wanted, most = 120) => {
    for (let i = 0; i < most; i++) {
      await page.keyboard.press('Tab')
      const f = await focus()
      if (f.tag !== 'BODY') assert.notEqual(f.outline, 'none', `the focus on ${f.tag} "${f.text}" can be seen`)
      if (wanted.test(f.text)) return
    }
    assert.fail(`no tab leads to ${wanted}`)
  }
  await tabTo(/^Skip to the content$/, 1)
  await page.keyboard.press('Enter')
  await tabTo(/^globex\/analytics$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /globex\/analytics/ }).waitFor()
  await settled(page)
  await tabTo(/^Decision$/)
  await page.keyboard.press('Enter')
  await page.getByText('What would admit it').waitFor()
  await settled(page)
  await tabTo(/^Try it: raise quota\.cpu/)
  await page.keyboard.press('Enter')
  await page.locator('.plan:not(.stale)').getByText('Rejected → Scheduled').waitFor()
})
