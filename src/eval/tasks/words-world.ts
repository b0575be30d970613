// More words to describe and guess: the same form as in the other list.

export const world: Readonly<Record<string, string>> = {
  animal: `
    elephant
    kangaroo | roo
    penguin
    giraffe
    crocodile | alligator, croc
    hedgehog | porcupine
    squirrel
    dolphin | porpoise
    owl
    zebra
    camel | dromedary
    frog | toad
    rabbit | bunny, hare
    bear | grizzly
    wolf
    peacock | peafowl
    octopus
    bat
    turtle | tortoise
    snake | serpent
  `,
  "small creature": `
    butter·fly
    bee | honeybee, bumblebee
    spider
    ant
    mosquito
    snail
    dragon·fly
    grass·hopper
    lady·bug | ladybird
    worm | earthworm
    scorpion
    moth
    centipede | millipede
    fire·fly | glowworm, lightning bug
    flea
    wasp | hornet
  `,
  fruit: `
    banana
    pine·apple
    lemon
    cherry
    water·melon
    coconut
    grape
    straw·berry
    orange
    peach
    kiwi | kiwifruit, kiwi fruit
    apple
    pomegranate
    avocado
    mango
    pear
    fig
  `,
  vegetable: `
    carrot
    onion
    potato | spud
    pumpkin
    garlic
    cucumber
    broccoli
    corn | maize, sweetcorn
    pea | green pea
    mushroom | toadstool
    lettuce
    cabbage
    chili | chilli, chili pepper, hot pepper
    egg·plant | aubergine
    asparagus
    celery
    beetroot | beet, red beet
  `,
  food: `
    pizza
    sandwich
    pancake | crepe, flapjack
    honey
    butter
    ice cream | gelato
    sushi
    spaghetti | pasta
    popcorn
    egg
    cheese
    pretzel
    omelette | omelet
    hamburger | burger
    chocolate
    soup | broth
    salt
    doughnut | donut
  `,
  building: `
    light·house
    castle | fortress
    hospital
    library
    bridge
    igloo | snow house
    museum
    prison | jail, gaol
    church | cathedral, chapel
    school
    airport | aerodrome
    pyramid
    tent
    barn
    stadium | arena
    green·house | glasshouse, hothouse
    bakery | bakehouse
    swimming pool | pool
  `,
  nature: `
    volcano
    waterfall | cascade
    rainbow
    island | isle
    desert
    glacier
    cave | cavern
    river | stream
    beach | seashore
    mountain
    swamp | marsh, bog
    forest | woods, woodland
    oasis
    cliff
    lake
    moon
    canyon | gorge, ravine
  `,
  "weather and nature": `
    lightning | lightning bolt
    snow
    tornado | twister, whirlwind
    fog | mist
    icicle
    thunder
    earth·quake | quake
    flood
    avalanche | snowslide
    eclipse | solar eclipse, lunar eclipse
    hail | hailstone
    hurricane | typhoon, cyclone
    drought
    sun·set | sundown
    tide | high tide, low tide
    dew
  `,
  job: `
    dentist | orthodontist
    fire·fighter | fireman
    farmer
    pilot | aviator
    teacher | schoolteacher
    baker
    judge
    plumber
    photographer
    astronaut | cosmonaut, spaceman
    carpenter | joiner
    waiter | waitress, server
    sailor | seaman, mariner
    magician | conjurer, illusionist
    detective | sleuth
    hair·dresser | hairstylist, barber
    nurse
    referee | umpire
  `,
  body: `
    elbow
    knee
    eyebrow
    tongue
    thumb
    shoulder
    heart
    ear
    nose
    stomach | belly, tummy
    skeleton
    beard
    ankle
    lung
    chin
    brain
    lip
  `,
  fantasy: `
    dragon
    mermaid | siren
    ghost | phantom
    vampire
    unicorn
    witch | sorceress
    giant | ogre
    pirate | buccaneer
    mummy
    zombie
    treasure | treasure chest
    knight
    crown
    scare·crow
    were·wolf
    snow·man
    fairy
  `,
};
