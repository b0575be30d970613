// Items as a block each: `answer | alias, alias`, then five clues from hard to easy.

export const plants = `
potato
It belongs to the family of deadly nightshade.
A king of Prussia ordered his peasants to grow it.
A blight on it drove millions from Ireland.
It came to Europe from the Andes.
French fries and chips are made from it.

banana
It is a berry, botanically.
It holds a little radioactive potassium.
Its wild form is full of hard seeds.
The kind most sold today replaced one that a fungus killed.
It is yellow and curved, and monkeys are said to love it.

coffee
A legend tells of a goatherd whose animals danced.
A pope is said to have blessed it.
Its seeds are called beans but are none.
It came from Ethiopia by way of Yemen.
Espresso is made from it, and its caffeine keeps us awake.

tea
Its plant is a kind of camellia.
Black and green come from the same leaves.
Fast sailing ships raced with it from China.
Chests of it were thrown into Boston's harbor.
One pours hot water on leaves to make this drink.

chocolate | cocoa, cacao
Its main plant was named food of the gods by Linnaeus.
Beans for it served as money.
It must be tempered to be glossy.
The Aztecs drank it bitter, with chili.
Easter bunnies and pralines are made of it.

tomato
It was first grown in Europe as an ornament, and feared.
The supreme court of the United States once had to decide what it is.
It is a berry, but counts as a vegetable.
A Spanish town throws tons of it each August.
Ketchup is made from it.

apple
Its seeds do not grow into the same kind as the tree they come from.
Its wild ancestor grows near Almaty.
William Tell shot at one.
It floats, because a quarter of it is air.
One a day is said to keep the doctor away.

wheat
Its bread kind carries six sets of chromosomes.
It was first grown in the Fertile Crescent.
It holds gluten.
Durum is one of its kinds.
Flour for most bread and pasta is made from it.

rice
Ducks are sometimes kept in its fields against weeds.
It feeds more than half of mankind.
Its terraces in the Philippines are world heritage.
It is thrown at weddings.
Sushi is made with these white grains.

bamboo
Some of its kinds flower only once in many decades.
It is a grass.
It is used for scaffolding in Hong Kong.
It can grow by most of a meter a day.
Pandas live on it.

cactus
It opens its pores at night.
Nearly all of its kinds come from the Americas.
The red dye cochineal comes from an insect that lives on one.
It stores water in its stem.
This desert plant has spines instead of leaves.

sunflower
It can take heavy metals out of the ground.
Its head is made of many small flowers.
Its seeds lie in spirals that follow Fibonacci numbers.
When young it follows the light through the day.
Van Gogh painted this tall yellow flower, which is grown for oil.

tulip
A virus gave it the stripes that people paid most for.
It came to western Europe by way of Constantinople.
Single bulbs of it were once sold for the price of a house.
Its name is related to that of the turban.
The Netherlands are known for fields of this flower.

garlic
It was found in the tomb of Tutankhamun.
Its smell arises only when it is cut or crushed.
It is related to the lily-like onion and the leek.
It has cloves.
It is said to keep vampires away.

olive
Its tree may live for well over a thousand years.
Fresh from the tree it is too bitter to eat.
Athena gave its tree to a city.
A branch of it stands for peace.
A green or black fruit pressed for oil in Spain and Italy.

vanilla
A boy of twelve found out how to pollinate it by hand.
It comes from an orchid.
Most of it is grown on Madagascar.
It is one of the dearest spices.
It is perhaps the most common flavor of ice cream.

pepper | black pepper
Alaric demanded 3,000 pounds of it from Rome.
It was once worth so much that rents were paid in it.
It grows on a vine from the Malabar coast.
Green, black and white come from the same plant.
It stands beside the salt on the table and makes one sneeze.

sugar
It was once sold by pharmacists.
Honey bees' product was used where it was unknown.
Marggraf found it in beets.
Slaves were made to grow its cane in the Caribbean.
This sweet white stuff is put into coffee and cakes.

cotton
A machine for it, patented in 1794, changed the history of a continent.
The Aral Sea shrank because of it.
Its fibers grow around seeds.
It is almost pure cellulose.
T-shirts and jeans are made of it.

pumpkin
The largest ones weigh more than a ton.
Boats have been made of it.
It is a berry with a hard rind.
Cinderella's coach was one.
It is carved with a face for Halloween.

honey
It has been found in old tombs and was said to be still good.
Babies under one year should not have it.
It is heavier than water and may crystallize.
A land of milk and this was promised.
Bees make it.

orange
The color was named after it, and not the other way around.
Its tree can carry flowers and fruit at the same time.
It is a cross of pomelo and mandarin.
Sailors ate it against scurvy.
Its juice is drunk at breakfast.

mushroom | fungus, toadstool
It is more closely related to us than to plants.
Its larger part is a web below the ground.
It may stand in rings that were ascribed to fairies.
It multiplies by spores.
Champignons and chanterelles are such, with a cap and a stem.

cheese
The oldest remains of it were found in pots with holes and on mummies.
Enzymes from a calf's stomach are used for it.
Bacteria make gas in it, which leaves holes.
De Gaulle asked how to govern a country with so many kinds of it.
Gouda and Camembert are made of milk.
`;
