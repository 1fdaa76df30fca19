/**
 * Puts English words of the lexicon in the place of Chinese ones, which are written without spaces:
 * `红色的狐狸` becomes ` red 的 fox `.
 */
export function withEnglishWords(prompt: string): string {
  return prompt.replace(ANY_WORD, (word) => ` ${ENGLISH.get(word) ?? ''} `)
}

const WORDS = `
狐狸 fox, 狼 wolf, 猫 cat, 狗 dog, 熊猫 panda, 熊 bear, 兔 rabbit, 老鼠 mouse, 狮子 lion, 老虎 tiger, 鹿 deer, 马 horse,
猫头鹰 owl, 大象 elephant, 鸟 bird, 鲸 whale, 鱼 fish, 蝴蝶 butterfly, 企鹅 penguin, 乌龟 turtle,
帆船 sailboat, 纸船 paperboat, 船 boat, 热气球 balloon, 火箭 rocket, 飞船 spaceship, 宇航员 astronaut, 机器人 robot,
女孩 girl, 男孩 boy, 女人 woman, 男人 man, 人像 portrait, 肖像 portrait, 房子 house, 小屋 cottage, 灯塔 lighthouse,
城堡 castle, 汽车 car, 出租车 taxi, 自行车 bicycle, 咖啡 coffee, 茶 tea, 花瓶 vase, 花 flower, 蘑菇 mushroom,
苹果 apple, 仙人掌 cactus, 伞 umbrella, 书 book, 爱心 heart,
山 mountain, 草原 meadow, 田野 field, 乡村 village, 沙漠 desert, 金字塔 pyramid, 海 sea, 湖 lake, 河 river, 沙滩 beach,
城市 city, 街 street, 东京 tokyo, 上海 shanghai, 赛博朋克 cyberpunk, 森林 forest, 树林 forest, 竹 bamboo, 太空 space,
宇宙 universe, 星球 planet, 星空 starry, 抽象 abstract, 几何 geometric, 图标 icon,
雨 rain, 暴风 storm, 雷 thunder, 雪 snow, 雾 fog, 风 wind, 夜 night, 月 moon, 日落 sunset, 夕阳 sunset, 黄昏 dusk,
日出 sunrise, 黎明 dawn, 早晨 morning, 霓虹 neon, 复古 retro, 极简 minimal, 梦幻 dreamy, 可爱 cute, 史诗 epic,
宁静 calm, 快乐 happy, 浪漫 romantic, 秋 autumn, 春 spring, 夏 summer, 冬 winter, 火 fire, 风景 landscape,
红 red, 橙 orange, 黄 yellow, 绿 green, 青 teal, 蓝 blue, 紫 purple, 粉 pink, 棕 brown, 黑 black, 白 white, 灰 grey,
金色 gold, 银色 silver`

const ENGLISH = new Map(
  WORDS.split(',').map((pair) => pair.trim().split(' ') as [chinese: string, english: string]),
)

/** The longest first: 猫头鹰 is an owl, not a cat. */
const ANY_WORD = new RegExp([...ENGLISH.keys()].sort((a, b) => b.length - a.length).join('|'), 'g')
