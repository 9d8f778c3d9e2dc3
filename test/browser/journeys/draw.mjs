// A component is drawn, connected and saved: it becomes a branch of its own.
import { assert, journey, keep, middle, open, picture, violations } from '../harness.mjs'

await journey(
  async (page) => {
    await open(page, '/applications/acme/shop/edit')
    const canvas = page.getByRole('figure', { name: 'Components, and what they wait for' })
    const node = (name) => canvas.locator(`.react-flow__node[data-id="${name}"]`)
    await node('web').waitFor()
    await page.getByRole('button', { name: '+ store' }).dragTo(canvas.locator('.react-flow__pane'))
    await page.getByRole('textbox', { name: 'name', exact: true }).fill('cache')
    await page.getByRole('textbox', { name: 'image', exact: true }).fill('ghcr.io/acme/valkey:8')
    assert.deepEqual(await violations(page), [], 'what is asked of a new component')
    await page.getByRole('button', { name: 'Add the component' }).click()
    await node('cache').waitFor()

    await canvas.scrollIntoViewIfNeeded()
    const [from, to] = await Promise.all([middle(canvas, 'cache', 'source'), middle(canvas, 'web', 'target')])
    await page.mouse.move(...from)
    await page.mouse.down()
    await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 5 })
    await page.mouse.move(...to, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('button', { name: /^web/ }).getByText('after migrate, cache').waitFor()

    await page.getByText('can be saved').waitFor()
    await picture(page, 'editor')
    await page.getByRole('button', { name: 'Save as a branch' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as a branch' })
    await dialog.getByRole('textbox', { name: 'Branch' }).fill('cache-for-web')
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await violations(page), [], `saving, ${colorScheme}`)
    }
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    const saved = page.getByRole('dialog', { name: 'Saved' })
    await saved.getByText('git push origin ui/cache-for-web').waitFor()
    await picture(page, 'editor-saved')
    await saved.getByRole('link', { name: 'What its merge would do' }).click()
    await page.getByRole('heading', { level: 1, name: 'Pull request' }).waitFor()
    await page.getByText('This changes what runs').waitFor()
    keep('saved', '')
    await open(page, '/applications/acme/shop/edit')
    await page.getByText('nothing changed yet').waitFor()
  },
  { allowed: [/status of 40[09]/, /status of 503/] },
)
